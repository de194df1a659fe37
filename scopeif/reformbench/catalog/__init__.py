"""The catalog: 66 features, their templates, specs and compatibility."""
