"""Words before a stop that does not end a sentence, and words that tell that one begins."""

from __future__ import annotations

import re


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEVER_CLOSING = _names("dr mr mrs ms mx messrs prof e.g i.e eg ie vs cf viz ca approx incl")
"""Titles and abbreviations after which a sentence never ends."""

BEFORE_LETTER = _names("fig figs eq eqs vol vols ch sec art app ver")
"""Abbreviations before a number or a single capital."""

BEFORE_NUMBER = BEFORE_LETTER | _names("no nos p pp par nr op tab")
"""Abbreviations before a number."""

CAN_CLOSE = _names(
    "u.s u.k u.n e.u u.s.a d.c n.y l.a etc p.m a.m inc ltd co corp llc bros jr sr ph.d m.d b.a m.a b.sc m.sc b.c a.d "
    "b.c.e c.e r.i.p a.k.a jan feb mar apr jun jul aug sep sept oct nov dec mon tue thu fri ave blvd rd hwy hr hrs "
    "lb lbs oz st mt ft dept est ext tel rev hon gen col capt cmdr lt sgt maj gov sen rep pres supt insp"
)
"""Abbreviations after which a sentence ends only before a word of `OPENERS`."""

TITLES = _names("dr mr mrs ms mx prof rev hon gen col capt lt sgt maj gov sen rep pres st sir dame")

OPENERS = _names(
    "A An The This That These Those There Then They He She It We You I My Our Your His Her Its Their But And Or So Yet "
    "If When While Where Why How What Who Which Because Although Though However Therefore Thus Hence Moreover "
    "Furthermore Meanwhile After Before Since Until Once Now Today Tomorrow Yesterday Here In On At By For From With "
    "As To No Not Yes Some Many Most All Each Every Both Another Other Let Please Also Finally First Second Next "
    "Instead Still Perhaps Maybe Only Even During Despite One Two Is Are Was Were Do Does Did Can Could Will Would"
)
"""Capitalised words that open a sentence rather than carry on a name."""

NO_NAMES = _names(
    "Vitamin Plan Grade Type Section Appendix Figure Group Class Option Part Exhibit Hepatitis Schedule Team Model "
    "Room Gate Block Level Size Chapter Table Phase Step Point Item Version Line Question Answer Choice Column Row Box "
    "Route Grades Score Mark Rating Letter Result Answers Letters Options Category Building Zone Unit Module Series "
    "Task Case Scenario Variant Note String Flat Sharp Sheet Side Track"
)
"""Capitalised words that a single letter follows as a label, not as an initial."""

BEFORE_NAMES = _names(
    "by with and from of met saw told asked thanked named called said hired friend colleague author writer teacher "
    "professor president actor singer brother sister uncle aunt poet"
)
"""Words in lower case before a name; after "size" and the like a single capital is a label."""

FIRST_NAMES = _names(
    "James John Robert Michael William David Richard Joseph Thomas Charles Christopher Daniel Matthew Anthony Mark "
    "Donald Steven Paul Andrew Joshua Kenneth Kevin Brian George Edward Ronald Timothy Jason Jeffrey Ryan Jacob Gary "
    "Nicholas Eric Jonathan Stephen Larry Justin Scott Brandon Benjamin Samuel Gregory Frank Alexander Raymond Patrick "
    "Jack Dennis Jerry Tyler Aaron Jose Henry Adam Douglas Nathan Peter Zachary Kyle Walter Harold Carl Arthur Roger "
    "Mary Patricia Jennifer Linda Elizabeth Barbara Susan Jessica Sarah Karen Lisa Nancy Betty Sandra Margaret Ashley "
    "Kimberly Emily Donna Michelle Carol Amanda Melissa Deborah Stephanie Rebecca Laura Helen Sharon Cynthia Kathleen "
    "Amy Angela Anna Ruth Brenda Pamela Nicole Katherine Virginia Catherine Christine Janet Maria Diane Julie Joyce "
    "Franklin Theodore Ulysses Dwight Harry Lyndon Gerald Jimmy Ronald Martin Albert Isaac Philip Louis Ernest Ray "
    "Ursula Octavia Alan Edgar Hunter Francis Johann Alice Grace Emma Olivia Sophia Lucy Jane Kate Tom Bob Jim Joe "
    "Sam Ben Max Leo Oscar Hugo Victor Simon Neil Ian Sean Keith Craig Stuart Graham Malcolm Duncan Warren Bruce"
)

SPEECH = re.compile(
    r"\b(?:said|says|asked|asks|cried|cries|replied|replies|answered|shouted|whispered|exclaimed|added|yelled|muttered|"
    r"murmured|called)\b|"
    r"(?<![小传据学听解])说(?![明法服])|(?<![知街味轨渠频赤通报铁人])道(?![路理德具歉教])|(?<![学疑])问(?![题候世])|"
    r"(?<![应报])答(?![案卷辩应])|喊"
)
"""A verb of speech, apart from the compounds that only hold its character."""
