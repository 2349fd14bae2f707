"""The laboratory from Python: competitors that live in Python, clusters, and pictures.

The studies, draws and splits are those of the program ``needlenet lab``, so a learner here sees the same
tables as a learner there, and its rows stand beside theirs. ``python -m needlenet.lab --help`` has the commands.
"""
