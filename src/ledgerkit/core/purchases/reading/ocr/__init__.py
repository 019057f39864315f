"""Optical character recognition without a network, in a process of its own.

worker: the code inside that process, the only place that loads RapidOCR. geometry: lines of a photograph made level.
recogniser: the server's end, which starts the process at its first use and ends it when it is idle.
"""
