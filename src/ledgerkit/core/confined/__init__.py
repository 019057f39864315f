"""Work on bytes of strangers that may take as long as its sender wants: done in processes that can be killed.

child: what runs there. process: the server's end of one such process. lanes: who gets one when, and how many there are.
calls: functions of ours that run there, one process for each call.
"""
