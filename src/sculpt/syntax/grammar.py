"""The grammar of expressions as tables, for `lalr.py` to run.

Generated from `grammar.lark` by tools/generate_grammar.py; run `make docs` to renew it.
"""

# fmt: off

TERMINALS = (
    ("_AND", r"and(?![\w:-])|∧"),
    ("_NOT", r"not(?![\w:-])|¬"),
    ("_OR", r"or(?![\w:-])|∨"),
    ("NAME", r"(?!(?:and|or|not)(?![\w:-]))[\w:](?:[\w:-]*[\w:])?(?: (?!(?:and|or|not)(?![\w:-]))[\w:](?:[\w:-]*[\w:])?)*"),  # noqa: E501
    ("COUNT", r"[*+?]|\{ *[0-9]+ *(?:, *[0-9]* *)?\}"),
    ("LITERAL", r'(?s:"(?:[^"\\]|\\.)*")'),
    ("__IGNORE_0", "[ \t]+"),
    ("_TO", r"\.\."),
    ("COMMA", r","),
    ("DOT", r"\."),
    ("HASH", r"\#"),
    ("LESSTHAN", r"<"),
    ("LPAR", r"\("),
    ("LSQB", r"\["),
    ("MORETHAN", r">"),
    ("RPAR", r"\)"),
    ("RSQB", r"\]"),
    ("VBAR", r"\|"),
)
"""Each terminal with its expression; the first that matches is taken."""

IGNORED = frozenset(("__IGNORE_0",))

RULES: tuple[tuple[str, int, tuple[int, ...], str | None], ...] = (
    # 0: selector: disjunction
    ("selector", 1, (0,), "selector"),
    # 1: disjunction: conjunction __disjunction_star_0
    ("disjunction", 2, (0, ~1), "disjunction"),
    # 2: disjunction: conjunction
    ("disjunction", 1, (0,), None),
    # 3: conjunction: negation __conjunction_star_1
    ("conjunction", 2, (0, ~1), "conjunction"),
    # 4: conjunction: negation
    ("conjunction", 1, (0,), None),
    # 5: negation: _NOT negation
    ("negation", 2, (1,), "negate"),
    # 6: negation: application
    ("negation", 1, (0,), None),
    # 7: application: union
    ("application", 1, (0,), None),
    # 8: application: union LPAR disjunction RPAR
    ("application", 4, (0, 2), "apply"),
    # 9: application: application HASH NUMBER
    ("application", 3, (0, 2), "nth"),
    # 10: union: concatenation __union_star_2
    ("union", 2, (0, ~1), "union"),
    # 11: union: concatenation
    ("union", 1, (0,), None),
    # 12: concatenation: postfix __concatenation_star_3
    ("concatenation", 2, (0, ~1), "concatenation"),
    # 13: concatenation: postfix
    ("concatenation", 1, (0,), None),
    # 14: postfix: atom
    ("postfix", 1, (0,), None),
    # 15: postfix: postfix COUNT
    ("postfix", 2, (0, 1), "repeat"),
    # 16: postfix: postfix LSQB disjunction RSQB
    ("postfix", 4, (0, 2), "filtered"),
    # 17: atom: NAME
    ("atom", 1, (0,), None),
    # 18: atom: LITERAL
    ("atom", 1, (0,), None),
    # 19: atom: NUMBER
    ("atom", 1, (0,), None),
    # 20: atom: AXIS
    ("atom", 1, (0,), None),
    # 21: atom: ROOT
    ("atom", 1, (0,), None),
    # 22: atom: TRUE
    ("atom", 1, (0,), None),
    # 23: atom: LSQB disjunction RSQB
    ("atom", 3, (1,), "filter"),
    # 24: atom: LPAR disjunction RPAR
    ("atom", 3, (1,), None),
    # 25: atom: LPAR NUMBER COMMA NUMBER RPAR
    ("atom", 5, (1, 3), "coordinate"),
    # 26: atom: LPAR NUMBER COMMA NUMBER RPAR _TO LPAR NUMBER COMMA NUMBER RPAR
    ("atom", 11, (1, 3, 7, 9), "block"),
    # 27: atom: EXISTS LPAR disjunction RPAR
    ("atom", 4, (0, 2), "exists"),
    # 28: atom: LESSTHAN disjunction MORETHAN
    ("atom", 3, (1,), "exists"),
    # 29: content: choice
    ("content", 1, (0,), "content"),
    # 30: choice: sequence __choice_star_4
    ("choice", 2, (0, ~1), "choice"),
    # 31: choice: sequence
    ("choice", 1, (0,), None),
    # 32: sequence: repeated __sequence_star_5
    ("sequence", 2, (0, ~1), "sequence"),
    # 33: sequence: repeated
    ("sequence", 1, (0,), None),
    # 34: repeated: particle
    ("repeated", 1, (0,), None),
    # 35: repeated: repeated COUNT
    ("repeated", 2, (0, 1), "repeat"),
    # 36: particle: NAME
    ("particle", 1, (0,), None),
    # 37: particle: LITERAL
    ("particle", 1, (0,), None),
    # 38: particle: NUMBER
    ("particle", 1, (0,), None),
    # 39: particle: AXIS
    ("particle", 1, (0,), None),
    # 40: particle: ROOT
    ("particle", 1, (0,), None),
    # 41: particle: TRUE
    ("particle", 1, (0,), None),
    # 42: particle: EXISTS
    ("particle", 1, (0,), None),
    # 43: particle: LPAR choice RPAR
    ("particle", 3, (1,), None),
    # 44: particle: LPAR RPAR
    ("particle", 2, (), "nothing"),
    # 45: __disjunction_star_0: _OR conjunction
    ("__disjunction_star_0", 2, (1,), "__disjunction_star_0"),
    # 46: __disjunction_star_0: __disjunction_star_0 _OR conjunction
    ("__disjunction_star_0", 3, (~0, 2), "__disjunction_star_0"),
    # 47: __conjunction_star_1: _AND negation
    ("__conjunction_star_1", 2, (1,), "__conjunction_star_1"),
    # 48: __conjunction_star_1: __conjunction_star_1 _AND negation
    ("__conjunction_star_1", 3, (~0, 2), "__conjunction_star_1"),
    # 49: __union_star_2: VBAR concatenation
    ("__union_star_2", 2, (1,), "__union_star_2"),
    # 50: __union_star_2: __union_star_2 VBAR concatenation
    ("__union_star_2", 3, (~0, 2), "__union_star_2"),
    # 51: __concatenation_star_3: DOT postfix
    ("__concatenation_star_3", 2, (1,), "__concatenation_star_3"),
    # 52: __concatenation_star_3: __concatenation_star_3 DOT postfix
    ("__concatenation_star_3", 3, (~0, 2), "__concatenation_star_3"),
    # 53: __choice_star_4: VBAR sequence
    ("__choice_star_4", 2, (1,), "__choice_star_4"),
    # 54: __choice_star_4: __choice_star_4 VBAR sequence
    ("__choice_star_4", 3, (~0, 2), "__choice_star_4"),
    # 55: __sequence_star_5: COMMA repeated
    ("__sequence_star_5", 2, (1,), "__sequence_star_5"),
    # 56: __sequence_star_5: __sequence_star_5 COMMA repeated
    ("__sequence_star_5", 3, (~0, 2), "__sequence_star_5"),
)
"""Each rule: what it defines; how many symbols it has; which of them its tree keeps, where `~n`
means the children of symbol `n`; the name of its tree, where `None` returns the only symbol that is
kept."""

STARTS = {"content": 1, "selector": 0}
"""Where each start symbol begins."""

STATES: tuple[tuple[dict[str, int], dict[str, int]], ...] = (
    # 0: $root_selector: . selector
    ({"AXIS": 2, "EXISTS": 3, "LESSTHAN": 4, "LITERAL": 5, "LPAR": 6, "LSQB": 7, "NAME": 8,
      "NUMBER": 9, "ROOT": 10, "TRUE": 11, "_NOT": 12},
     {"application": 13, "atom": 14, "concatenation": 15, "conjunction": 16, "disjunction": 17,
      "negation": 18, "postfix": 19, "selector": 20, "union": 21}),
    # 1: $root_content: . content
    ({"AXIS": 22, "EXISTS": 23, "LITERAL": 24, "LPAR": 25, "NAME": 26, "NUMBER": 27, "ROOT": 28,
      "TRUE": 29},
     {"choice": 30, "content": 31, "particle": 32, "repeated": 33, "sequence": 34}),
    # 2: atom: AXIS .
    ({"$END": ~20, "COUNT": ~20, "DOT": ~20, "HASH": ~20, "LPAR": ~20, "LSQB": ~20, "MORETHAN": ~20,
      "RPAR": ~20, "RSQB": ~20, "VBAR": ~20, "_AND": ~20, "_OR": ~20},
     {}),
    # 3: atom: EXISTS . LPAR disjunction RPAR
    ({"LPAR": 35}, {}),
    # 4: atom: LESSTHAN . disjunction MORETHAN
    ({"AXIS": 2, "EXISTS": 3, "LESSTHAN": 4, "LITERAL": 5, "LPAR": 6, "LSQB": 7, "NAME": 8,
      "NUMBER": 9, "ROOT": 10, "TRUE": 11, "_NOT": 12},
     {"application": 13, "atom": 14, "concatenation": 15, "conjunction": 16, "disjunction": 36,
      "negation": 18, "postfix": 19, "union": 21}),
    # 5: atom: LITERAL .
    ({"$END": ~18, "COUNT": ~18, "DOT": ~18, "HASH": ~18, "LPAR": ~18, "LSQB": ~18, "MORETHAN": ~18,
      "RPAR": ~18, "RSQB": ~18, "VBAR": ~18, "_AND": ~18, "_OR": ~18},
     {}),
    # 6: atom: LPAR . NUMBER COMMA NUMBER RPAR
    # 6: atom: LPAR . NUMBER COMMA NUMBER RPAR _TO LPAR NUMBER COMMA NUMBER RPAR
    # 6: atom: LPAR . disjunction RPAR
    ({"AXIS": 2, "EXISTS": 3, "LESSTHAN": 4, "LITERAL": 5, "LPAR": 6, "LSQB": 7, "NAME": 8,
      "NUMBER": 37, "ROOT": 10, "TRUE": 11, "_NOT": 12},
     {"application": 13, "atom": 14, "concatenation": 15, "conjunction": 16, "disjunction": 38,
      "negation": 18, "postfix": 19, "union": 21}),
    # 7: atom: LSQB . disjunction RSQB
    ({"AXIS": 2, "EXISTS": 3, "LESSTHAN": 4, "LITERAL": 5, "LPAR": 6, "LSQB": 7, "NAME": 8,
      "NUMBER": 9, "ROOT": 10, "TRUE": 11, "_NOT": 12},
     {"application": 13, "atom": 14, "concatenation": 15, "conjunction": 16, "disjunction": 39,
      "negation": 18, "postfix": 19, "union": 21}),
    # 8: atom: NAME .
    ({"$END": ~17, "COUNT": ~17, "DOT": ~17, "HASH": ~17, "LPAR": ~17, "LSQB": ~17, "MORETHAN": ~17,
      "RPAR": ~17, "RSQB": ~17, "VBAR": ~17, "_AND": ~17, "_OR": ~17},
     {}),
    # 9: atom: NUMBER .
    ({"$END": ~19, "COUNT": ~19, "DOT": ~19, "HASH": ~19, "LPAR": ~19, "LSQB": ~19, "MORETHAN": ~19,
      "RPAR": ~19, "RSQB": ~19, "VBAR": ~19, "_AND": ~19, "_OR": ~19},
     {}),
    # 10: atom: ROOT .
    ({"$END": ~21, "COUNT": ~21, "DOT": ~21, "HASH": ~21, "LPAR": ~21, "LSQB": ~21, "MORETHAN": ~21,
      "RPAR": ~21, "RSQB": ~21, "VBAR": ~21, "_AND": ~21, "_OR": ~21},
     {}),
    # 11: atom: TRUE .
    ({"$END": ~22, "COUNT": ~22, "DOT": ~22, "HASH": ~22, "LPAR": ~22, "LSQB": ~22, "MORETHAN": ~22,
      "RPAR": ~22, "RSQB": ~22, "VBAR": ~22, "_AND": ~22, "_OR": ~22},
     {}),
    # 12: negation: _NOT . negation
    ({"AXIS": 2, "EXISTS": 3, "LESSTHAN": 4, "LITERAL": 5, "LPAR": 6, "LSQB": 7, "NAME": 8,
      "NUMBER": 9, "ROOT": 10, "TRUE": 11, "_NOT": 12},
     {"application": 13, "atom": 14, "concatenation": 15, "negation": 40, "postfix": 19,
      "union": 21}),
    # 13: application: application . HASH NUMBER
    # 13: negation: application .
    ({"$END": ~6, "HASH": 41, "MORETHAN": ~6, "RPAR": ~6, "RSQB": ~6, "_AND": ~6, "_OR": ~6}, {}),
    # 14: postfix: atom .
    ({"$END": ~14, "COUNT": ~14, "DOT": ~14, "HASH": ~14, "LPAR": ~14, "LSQB": ~14, "MORETHAN": ~14,
      "RPAR": ~14, "RSQB": ~14, "VBAR": ~14, "_AND": ~14, "_OR": ~14},
     {}),
    # 15: union: concatenation .
    # 15: union: concatenation . __union_star_2
    ({"$END": ~11, "HASH": ~11, "LPAR": ~11, "MORETHAN": ~11, "RPAR": ~11, "RSQB": ~11, "VBAR": 42,
      "_AND": ~11, "_OR": ~11},
     {"__union_star_2": 43}),
    # 16: disjunction: conjunction .
    # 16: disjunction: conjunction . __disjunction_star_0
    ({"$END": ~2, "MORETHAN": ~2, "RPAR": ~2, "RSQB": ~2, "_OR": 44}, {"__disjunction_star_0": 45}),
    # 17: selector: disjunction .
    ({"$END": ~0}, {}),
    # 18: conjunction: negation .
    # 18: conjunction: negation . __conjunction_star_1
    ({"$END": ~4, "MORETHAN": ~4, "RPAR": ~4, "RSQB": ~4, "_AND": 46, "_OR": ~4},
     {"__conjunction_star_1": 47}),
    # 19: concatenation: postfix .
    # 19: concatenation: postfix . __concatenation_star_3
    # 19: postfix: postfix . COUNT
    # 19: postfix: postfix . LSQB disjunction RSQB
    ({"$END": ~13, "COUNT": 48, "DOT": 49, "HASH": ~13, "LPAR": ~13, "LSQB": 50, "MORETHAN": ~13,
      "RPAR": ~13, "RSQB": ~13, "VBAR": ~13, "_AND": ~13, "_OR": ~13},
     {"__concatenation_star_3": 51}),
    # 20: $root_selector: selector .
    ({"$END": 0}, {}),
    # 21: application: union .
    # 21: application: union . LPAR disjunction RPAR
    ({"$END": ~7, "HASH": ~7, "LPAR": 52, "MORETHAN": ~7, "RPAR": ~7, "RSQB": ~7, "_AND": ~7,
      "_OR": ~7},
     {}),
    # 22: particle: AXIS .
    ({"$END": ~39, "COMMA": ~39, "COUNT": ~39, "RPAR": ~39, "VBAR": ~39}, {}),
    # 23: particle: EXISTS .
    ({"$END": ~42, "COMMA": ~42, "COUNT": ~42, "RPAR": ~42, "VBAR": ~42}, {}),
    # 24: particle: LITERAL .
    ({"$END": ~37, "COMMA": ~37, "COUNT": ~37, "RPAR": ~37, "VBAR": ~37}, {}),
    # 25: particle: LPAR . RPAR
    # 25: particle: LPAR . choice RPAR
    ({"AXIS": 22, "EXISTS": 23, "LITERAL": 24, "LPAR": 25, "NAME": 26, "NUMBER": 27, "ROOT": 28,
      "RPAR": 53, "TRUE": 29},
     {"choice": 54, "particle": 32, "repeated": 33, "sequence": 34}),
    # 26: particle: NAME .
    ({"$END": ~36, "COMMA": ~36, "COUNT": ~36, "RPAR": ~36, "VBAR": ~36}, {}),
    # 27: particle: NUMBER .
    ({"$END": ~38, "COMMA": ~38, "COUNT": ~38, "RPAR": ~38, "VBAR": ~38}, {}),
    # 28: particle: ROOT .
    ({"$END": ~40, "COMMA": ~40, "COUNT": ~40, "RPAR": ~40, "VBAR": ~40}, {}),
    # 29: particle: TRUE .
    ({"$END": ~41, "COMMA": ~41, "COUNT": ~41, "RPAR": ~41, "VBAR": ~41}, {}),
    # 30: content: choice .
    ({"$END": ~29}, {}),
    # 31: $root_content: content .
    ({"$END": 0}, {}),
    # 32: repeated: particle .
    ({"$END": ~34, "COMMA": ~34, "COUNT": ~34, "RPAR": ~34, "VBAR": ~34}, {}),
    # 33: repeated: repeated . COUNT
    # 33: sequence: repeated .
    # 33: sequence: repeated . __sequence_star_5
    ({"$END": ~33, "COMMA": 55, "COUNT": 56, "RPAR": ~33, "VBAR": ~33}, {"__sequence_star_5": 57}),
    # 34: choice: sequence .
    # 34: choice: sequence . __choice_star_4
    ({"$END": ~31, "RPAR": ~31, "VBAR": 58}, {"__choice_star_4": 59}),
    # 35: atom: EXISTS LPAR . disjunction RPAR
    ({"AXIS": 2, "EXISTS": 3, "LESSTHAN": 4, "LITERAL": 5, "LPAR": 6, "LSQB": 7, "NAME": 8,
      "NUMBER": 9, "ROOT": 10, "TRUE": 11, "_NOT": 12},
     {"application": 13, "atom": 14, "concatenation": 15, "conjunction": 16, "disjunction": 60,
      "negation": 18, "postfix": 19, "union": 21}),
    # 36: atom: LESSTHAN disjunction . MORETHAN
    ({"MORETHAN": 61}, {}),
    # 37: atom: LPAR NUMBER . COMMA NUMBER RPAR
    # 37: atom: LPAR NUMBER . COMMA NUMBER RPAR _TO LPAR NUMBER COMMA NUMBER RPAR
    # 37: atom: NUMBER .
    ({"COMMA": 62, "COUNT": ~19, "DOT": ~19, "HASH": ~19, "LPAR": ~19, "LSQB": ~19, "RPAR": ~19,
      "VBAR": ~19, "_AND": ~19, "_OR": ~19},
     {}),
    # 38: atom: LPAR disjunction . RPAR
    ({"RPAR": 63}, {}),
    # 39: atom: LSQB disjunction . RSQB
    ({"RSQB": 64}, {}),
    # 40: negation: _NOT negation .
    ({"$END": ~5, "MORETHAN": ~5, "RPAR": ~5, "RSQB": ~5, "_AND": ~5, "_OR": ~5}, {}),
    # 41: application: application HASH . NUMBER
    ({"NUMBER": 65}, {}),
    # 42: __union_star_2: VBAR . concatenation
    ({"AXIS": 2, "EXISTS": 3, "LESSTHAN": 4, "LITERAL": 5, "LPAR": 6, "LSQB": 7, "NAME": 8,
      "NUMBER": 9, "ROOT": 10, "TRUE": 11},
     {"atom": 14, "concatenation": 66, "postfix": 19}),
    # 43: __union_star_2: __union_star_2 . VBAR concatenation
    # 43: union: concatenation __union_star_2 .
    ({"$END": ~10, "HASH": ~10, "LPAR": ~10, "MORETHAN": ~10, "RPAR": ~10, "RSQB": ~10, "VBAR": 67,
      "_AND": ~10, "_OR": ~10},
     {}),
    # 44: __disjunction_star_0: _OR . conjunction
    ({"AXIS": 2, "EXISTS": 3, "LESSTHAN": 4, "LITERAL": 5, "LPAR": 6, "LSQB": 7, "NAME": 8,
      "NUMBER": 9, "ROOT": 10, "TRUE": 11, "_NOT": 12},
     {"application": 13, "atom": 14, "concatenation": 15, "conjunction": 68, "negation": 18,
      "postfix": 19, "union": 21}),
    # 45: __disjunction_star_0: __disjunction_star_0 . _OR conjunction
    # 45: disjunction: conjunction __disjunction_star_0 .
    ({"$END": ~1, "MORETHAN": ~1, "RPAR": ~1, "RSQB": ~1, "_OR": 69}, {}),
    # 46: __conjunction_star_1: _AND . negation
    ({"AXIS": 2, "EXISTS": 3, "LESSTHAN": 4, "LITERAL": 5, "LPAR": 6, "LSQB": 7, "NAME": 8,
      "NUMBER": 9, "ROOT": 10, "TRUE": 11, "_NOT": 12},
     {"application": 13, "atom": 14, "concatenation": 15, "negation": 70, "postfix": 19,
      "union": 21}),
    # 47: __conjunction_star_1: __conjunction_star_1 . _AND negation
    # 47: conjunction: negation __conjunction_star_1 .
    ({"$END": ~3, "MORETHAN": ~3, "RPAR": ~3, "RSQB": ~3, "_AND": 71, "_OR": ~3}, {}),
    # 48: postfix: postfix COUNT .
    ({"$END": ~15, "COUNT": ~15, "DOT": ~15, "HASH": ~15, "LPAR": ~15, "LSQB": ~15, "MORETHAN": ~15,
      "RPAR": ~15, "RSQB": ~15, "VBAR": ~15, "_AND": ~15, "_OR": ~15},
     {}),
    # 49: __concatenation_star_3: DOT . postfix
    ({"AXIS": 2, "EXISTS": 3, "LESSTHAN": 4, "LITERAL": 5, "LPAR": 6, "LSQB": 7, "NAME": 8,
      "NUMBER": 9, "ROOT": 10, "TRUE": 11},
     {"atom": 14, "postfix": 72}),
    # 50: postfix: postfix LSQB . disjunction RSQB
    ({"AXIS": 2, "EXISTS": 3, "LESSTHAN": 4, "LITERAL": 5, "LPAR": 6, "LSQB": 7, "NAME": 8,
      "NUMBER": 9, "ROOT": 10, "TRUE": 11, "_NOT": 12},
     {"application": 13, "atom": 14, "concatenation": 15, "conjunction": 16, "disjunction": 73,
      "negation": 18, "postfix": 19, "union": 21}),
    # 51: __concatenation_star_3: __concatenation_star_3 . DOT postfix
    # 51: concatenation: postfix __concatenation_star_3 .
    ({"$END": ~12, "DOT": 74, "HASH": ~12, "LPAR": ~12, "MORETHAN": ~12, "RPAR": ~12, "RSQB": ~12,
      "VBAR": ~12, "_AND": ~12, "_OR": ~12},
     {}),
    # 52: application: union LPAR . disjunction RPAR
    ({"AXIS": 2, "EXISTS": 3, "LESSTHAN": 4, "LITERAL": 5, "LPAR": 6, "LSQB": 7, "NAME": 8,
      "NUMBER": 9, "ROOT": 10, "TRUE": 11, "_NOT": 12},
     {"application": 13, "atom": 14, "concatenation": 15, "conjunction": 16, "disjunction": 75,
      "negation": 18, "postfix": 19, "union": 21}),
    # 53: particle: LPAR RPAR .
    ({"$END": ~44, "COMMA": ~44, "COUNT": ~44, "RPAR": ~44, "VBAR": ~44}, {}),
    # 54: particle: LPAR choice . RPAR
    ({"RPAR": 76}, {}),
    # 55: __sequence_star_5: COMMA . repeated
    ({"AXIS": 22, "EXISTS": 23, "LITERAL": 24, "LPAR": 25, "NAME": 26, "NUMBER": 27, "ROOT": 28,
      "TRUE": 29},
     {"particle": 32, "repeated": 77}),
    # 56: repeated: repeated COUNT .
    ({"$END": ~35, "COMMA": ~35, "COUNT": ~35, "RPAR": ~35, "VBAR": ~35}, {}),
    # 57: __sequence_star_5: __sequence_star_5 . COMMA repeated
    # 57: sequence: repeated __sequence_star_5 .
    ({"$END": ~32, "COMMA": 78, "RPAR": ~32, "VBAR": ~32}, {}),
    # 58: __choice_star_4: VBAR . sequence
    ({"AXIS": 22, "EXISTS": 23, "LITERAL": 24, "LPAR": 25, "NAME": 26, "NUMBER": 27, "ROOT": 28,
      "TRUE": 29},
     {"particle": 32, "repeated": 33, "sequence": 79}),
    # 59: __choice_star_4: __choice_star_4 . VBAR sequence
    # 59: choice: sequence __choice_star_4 .
    ({"$END": ~30, "RPAR": ~30, "VBAR": 80}, {}),
    # 60: atom: EXISTS LPAR disjunction . RPAR
    ({"RPAR": 81}, {}),
    # 61: atom: LESSTHAN disjunction MORETHAN .
    ({"$END": ~28, "COUNT": ~28, "DOT": ~28, "HASH": ~28, "LPAR": ~28, "LSQB": ~28, "MORETHAN": ~28,
      "RPAR": ~28, "RSQB": ~28, "VBAR": ~28, "_AND": ~28, "_OR": ~28},
     {}),
    # 62: atom: LPAR NUMBER COMMA . NUMBER RPAR
    # 62: atom: LPAR NUMBER COMMA . NUMBER RPAR _TO LPAR NUMBER COMMA NUMBER RPAR
    ({"NUMBER": 82}, {}),
    # 63: atom: LPAR disjunction RPAR .
    ({"$END": ~24, "COUNT": ~24, "DOT": ~24, "HASH": ~24, "LPAR": ~24, "LSQB": ~24, "MORETHAN": ~24,
      "RPAR": ~24, "RSQB": ~24, "VBAR": ~24, "_AND": ~24, "_OR": ~24},
     {}),
    # 64: atom: LSQB disjunction RSQB .
    ({"$END": ~23, "COUNT": ~23, "DOT": ~23, "HASH": ~23, "LPAR": ~23, "LSQB": ~23, "MORETHAN": ~23,
      "RPAR": ~23, "RSQB": ~23, "VBAR": ~23, "_AND": ~23, "_OR": ~23},
     {}),
    # 65: application: application HASH NUMBER .
    ({"$END": ~9, "HASH": ~9, "MORETHAN": ~9, "RPAR": ~9, "RSQB": ~9, "_AND": ~9, "_OR": ~9}, {}),
    # 66: __union_star_2: VBAR concatenation .
    ({"$END": ~49, "HASH": ~49, "LPAR": ~49, "MORETHAN": ~49, "RPAR": ~49, "RSQB": ~49, "VBAR": ~49,
      "_AND": ~49, "_OR": ~49},
     {}),
    # 67: __union_star_2: __union_star_2 VBAR . concatenation
    ({"AXIS": 2, "EXISTS": 3, "LESSTHAN": 4, "LITERAL": 5, "LPAR": 6, "LSQB": 7, "NAME": 8,
      "NUMBER": 9, "ROOT": 10, "TRUE": 11},
     {"atom": 14, "concatenation": 83, "postfix": 19}),
    # 68: __disjunction_star_0: _OR conjunction .
    ({"$END": ~45, "MORETHAN": ~45, "RPAR": ~45, "RSQB": ~45, "_OR": ~45}, {}),
    # 69: __disjunction_star_0: __disjunction_star_0 _OR . conjunction
    ({"AXIS": 2, "EXISTS": 3, "LESSTHAN": 4, "LITERAL": 5, "LPAR": 6, "LSQB": 7, "NAME": 8,
      "NUMBER": 9, "ROOT": 10, "TRUE": 11, "_NOT": 12},
     {"application": 13, "atom": 14, "concatenation": 15, "conjunction": 84, "negation": 18,
      "postfix": 19, "union": 21}),
    # 70: __conjunction_star_1: _AND negation .
    ({"$END": ~47, "MORETHAN": ~47, "RPAR": ~47, "RSQB": ~47, "_AND": ~47, "_OR": ~47}, {}),
    # 71: __conjunction_star_1: __conjunction_star_1 _AND . negation
    ({"AXIS": 2, "EXISTS": 3, "LESSTHAN": 4, "LITERAL": 5, "LPAR": 6, "LSQB": 7, "NAME": 8,
      "NUMBER": 9, "ROOT": 10, "TRUE": 11, "_NOT": 12},
     {"application": 13, "atom": 14, "concatenation": 15, "negation": 85, "postfix": 19,
      "union": 21}),
    # 72: __concatenation_star_3: DOT postfix .
    # 72: postfix: postfix . COUNT
    # 72: postfix: postfix . LSQB disjunction RSQB
    ({"$END": ~51, "COUNT": 48, "DOT": ~51, "HASH": ~51, "LPAR": ~51, "LSQB": 50, "MORETHAN": ~51,
      "RPAR": ~51, "RSQB": ~51, "VBAR": ~51, "_AND": ~51, "_OR": ~51},
     {}),
    # 73: postfix: postfix LSQB disjunction . RSQB
    ({"RSQB": 86}, {}),
    # 74: __concatenation_star_3: __concatenation_star_3 DOT . postfix
    ({"AXIS": 2, "EXISTS": 3, "LESSTHAN": 4, "LITERAL": 5, "LPAR": 6, "LSQB": 7, "NAME": 8,
      "NUMBER": 9, "ROOT": 10, "TRUE": 11},
     {"atom": 14, "postfix": 87}),
    # 75: application: union LPAR disjunction . RPAR
    ({"RPAR": 88}, {}),
    # 76: particle: LPAR choice RPAR .
    ({"$END": ~43, "COMMA": ~43, "COUNT": ~43, "RPAR": ~43, "VBAR": ~43}, {}),
    # 77: __sequence_star_5: COMMA repeated .
    # 77: repeated: repeated . COUNT
    ({"$END": ~55, "COMMA": ~55, "COUNT": 56, "RPAR": ~55, "VBAR": ~55}, {}),
    # 78: __sequence_star_5: __sequence_star_5 COMMA . repeated
    ({"AXIS": 22, "EXISTS": 23, "LITERAL": 24, "LPAR": 25, "NAME": 26, "NUMBER": 27, "ROOT": 28,
      "TRUE": 29},
     {"particle": 32, "repeated": 89}),
    # 79: __choice_star_4: VBAR sequence .
    ({"$END": ~53, "RPAR": ~53, "VBAR": ~53}, {}),
    # 80: __choice_star_4: __choice_star_4 VBAR . sequence
    ({"AXIS": 22, "EXISTS": 23, "LITERAL": 24, "LPAR": 25, "NAME": 26, "NUMBER": 27, "ROOT": 28,
      "TRUE": 29},
     {"particle": 32, "repeated": 33, "sequence": 90}),
    # 81: atom: EXISTS LPAR disjunction RPAR .
    ({"$END": ~27, "COUNT": ~27, "DOT": ~27, "HASH": ~27, "LPAR": ~27, "LSQB": ~27, "MORETHAN": ~27,
      "RPAR": ~27, "RSQB": ~27, "VBAR": ~27, "_AND": ~27, "_OR": ~27},
     {}),
    # 82: atom: LPAR NUMBER COMMA NUMBER . RPAR
    # 82: atom: LPAR NUMBER COMMA NUMBER . RPAR _TO LPAR NUMBER COMMA NUMBER RPAR
    ({"RPAR": 91}, {}),
    # 83: __union_star_2: __union_star_2 VBAR concatenation .
    ({"$END": ~50, "HASH": ~50, "LPAR": ~50, "MORETHAN": ~50, "RPAR": ~50, "RSQB": ~50, "VBAR": ~50,
      "_AND": ~50, "_OR": ~50},
     {}),
    # 84: __disjunction_star_0: __disjunction_star_0 _OR conjunction .
    ({"$END": ~46, "MORETHAN": ~46, "RPAR": ~46, "RSQB": ~46, "_OR": ~46}, {}),
    # 85: __conjunction_star_1: __conjunction_star_1 _AND negation .
    ({"$END": ~48, "MORETHAN": ~48, "RPAR": ~48, "RSQB": ~48, "_AND": ~48, "_OR": ~48}, {}),
    # 86: postfix: postfix LSQB disjunction RSQB .
    ({"$END": ~16, "COUNT": ~16, "DOT": ~16, "HASH": ~16, "LPAR": ~16, "LSQB": ~16, "MORETHAN": ~16,
      "RPAR": ~16, "RSQB": ~16, "VBAR": ~16, "_AND": ~16, "_OR": ~16},
     {}),
    # 87: __concatenation_star_3: __concatenation_star_3 DOT postfix .
    # 87: postfix: postfix . COUNT
    # 87: postfix: postfix . LSQB disjunction RSQB
    ({"$END": ~52, "COUNT": 48, "DOT": ~52, "HASH": ~52, "LPAR": ~52, "LSQB": 50, "MORETHAN": ~52,
      "RPAR": ~52, "RSQB": ~52, "VBAR": ~52, "_AND": ~52, "_OR": ~52},
     {}),
    # 88: application: union LPAR disjunction RPAR .
    ({"$END": ~8, "HASH": ~8, "MORETHAN": ~8, "RPAR": ~8, "RSQB": ~8, "_AND": ~8, "_OR": ~8}, {}),
    # 89: __sequence_star_5: __sequence_star_5 COMMA repeated .
    # 89: repeated: repeated . COUNT
    ({"$END": ~56, "COMMA": ~56, "COUNT": 56, "RPAR": ~56, "VBAR": ~56}, {}),
    # 90: __choice_star_4: __choice_star_4 VBAR sequence .
    ({"$END": ~54, "RPAR": ~54, "VBAR": ~54}, {}),
    # 91: atom: LPAR NUMBER COMMA NUMBER RPAR .
    # 91: atom: LPAR NUMBER COMMA NUMBER RPAR . _TO LPAR NUMBER COMMA NUMBER RPAR
    ({"$END": ~25, "COUNT": ~25, "DOT": ~25, "HASH": ~25, "LPAR": ~25, "LSQB": ~25, "MORETHAN": ~25,
      "RPAR": ~25, "RSQB": ~25, "VBAR": ~25, "_AND": ~25, "_OR": ~25, "_TO": 92},
     {}),
    # 92: atom: LPAR NUMBER COMMA NUMBER RPAR _TO . LPAR NUMBER COMMA NUMBER RPAR
    ({"LPAR": 93}, {}),
    # 93: atom: LPAR NUMBER COMMA NUMBER RPAR _TO LPAR . NUMBER COMMA NUMBER RPAR
    ({"NUMBER": 94}, {}),
    # 94: atom: LPAR NUMBER COMMA NUMBER RPAR _TO LPAR NUMBER . COMMA NUMBER RPAR
    ({"COMMA": 95}, {}),
    # 95: atom: LPAR NUMBER COMMA NUMBER RPAR _TO LPAR NUMBER COMMA . NUMBER RPAR
    ({"NUMBER": 96}, {}),
    # 96: atom: LPAR NUMBER COMMA NUMBER RPAR _TO LPAR NUMBER COMMA NUMBER . RPAR
    ({"RPAR": 97}, {}),
    # 97: atom: LPAR NUMBER COMMA NUMBER RPAR _TO LPAR NUMBER COMMA NUMBER RPAR .
    ({"$END": ~26, "COUNT": ~26, "DOT": ~26, "HASH": ~26, "LPAR": ~26, "LSQB": ~26, "MORETHAN": ~26,
      "RPAR": ~26, "RSQB": ~26, "VBAR": ~26, "_AND": ~26, "_OR": ~26},
     {}),
)
"""Each state: what to do at a terminal, and where to go from here after a rule. At a terminal,
`n` shifts it and goes to state `n`, `~n` reduces by rule `n`, and `ACCEPT` accepts. The comments
have the items of a state: its rules, with a dot after what has been read."""

ACCEPT = 0
"""No state leads back to the first one, so its number is free for this."""
