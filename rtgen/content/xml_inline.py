from rtgen.content.common import refuse
NAME = "xml-inline"
def emit(out, args):
    return refuse(out, "ValueError", "not there yet")
def absent(args): return "TypeError"
