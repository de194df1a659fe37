"""`data/reform_mini`: a small benchmark of questions of our own, made without any model that writes."""
