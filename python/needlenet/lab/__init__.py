"""The laboratory from Python: competitors that live in Python, clusters, and pictures.

The studies, draws and splits are those of the program ``needlenet lab``, so learners in Python get the same tables as
those in Rust, and their rows can be compared. ``python -m needlenet.lab --help`` lists the commands.
"""
