import sys, importlib
from _calls import tried
from collections import Counter
import time
names=[n for n in sys.argv[1:] if not n.endswith('_calls')]
for m in [n for n in sys.argv[1:] if n.endswith('_calls')]:
    mod = importlib.import_module(m); c=Counter()
    for n,call in mod.CALLS.items():
        if names and n not in names: continue
        t=time.time(); o=tried(call); c[o.kind]+=1
        if o.kind!='device' or time.time()-t>5: print(f"{n:40} {o.kind:6} {o.reason} {o.names} {time.time()-t:.1f} s", flush=True)
    print(m,len(mod.CALLS),c)
