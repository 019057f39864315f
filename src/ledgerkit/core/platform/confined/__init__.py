"""Work on untrusted input, in processes that can be killed: the sender decides how long it takes.

child: the code inside such a process. process: the server's end of one process. lanes: queues for processes, fair among
accounts. calls: functions of ledgerkit that run there, one process for each call.
"""
