"""A sample application: an interview in which a model asks and a surrogate answers, step by step,
with a budget and a checkpoint at each iteration.
"""
