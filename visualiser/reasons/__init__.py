"""Where every number comes from: its formula, the arithmetic that made this value, and the section that defines it.

`kinds` is the table of quantities, `told` writes sentences whose numbers can be asked, `digits` writes arithmetic that
holds as it stands, `of_result` explains the numbers of an attention result. A page explains its own numbers beside its
sentences.
"""
