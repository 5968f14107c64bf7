"""The words of a report: texts put together, names and heads, and the sentences about values.

Nothing here knows a table, a figure or a section; each sentence is made from the records that are under it.
"""
