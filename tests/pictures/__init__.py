"""The screens as text: ``python -m tests.pictures`` writes ``tests/data/pictures`` anew. Look at
each difference before you commit it.
"""
