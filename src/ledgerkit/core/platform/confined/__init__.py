"""Work on untrusted input, whose duration the sender decides: done in processes that can be killed.

child: the code inside such a process. process: the server's end of one process. lanes: queues for processes, fair among
accounts. calls: functions of ledgerkit that run there, one process for each call.
"""
