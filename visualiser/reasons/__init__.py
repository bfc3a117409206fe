"""Where every number comes from: its formula, the arithmetic that made this value, and the section that defines it.

`kinds` is the table of quantities, `explained` writes sentences with the reasons of their numbers, and `digits` writes
arithmetic that is right with the digits shown. Each `of_…` explains the numbers of one subject. A page explains its own
numbers beside its sentences.
"""
