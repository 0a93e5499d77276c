"""A program of ours that uses much of some packages; see rename_behaviour_test.go."""
import sys, argparse, textwrap, json, json.encoder, html, html.parser, configparser, shlex, fractions, statistics, difflib, string, csv, pprint, graphlib, cmd, optparse

p = argparse.ArgumentParser(prog="x", description="some words " * 20, formatter_class=argparse.ArgumentDefaultsHelpFormatter, epilog="end")
p.add_argument("--size", type=int, default=3, help="the size")
p.add_argument("name", nargs="*")
g = p.add_mutually_exclusive_group()
g.add_argument("-a", action="store_true"); g.add_argument("-b", action="append")
s = p.add_subparsers(dest="cmd") if False else None
print(p.format_help(), p.format_usage(), p.parse_args(["--size", "4", "u", "v"]), p.parse_known_args(["-a", "--zz"]))
print(textwrap.fill("word " * 50, width=30), textwrap.dedent("   a\n   b"), textwrap.shorten("hello world again", 12), textwrap.indent("a\nb", "> "))
print(json.dumps({"a": [1, 2.5, None, True, "x"], "b": {"c": ()}}, indent=2, sort_keys=True), json.loads('{"a": [1, 2, {"b": "c"}]}'))
try:
    json.loads("{")
except json.JSONDecodeError as e:
    print(e, e.lineno, e.pos)
print(list(json.encoder.JSONEncoder(indent=1).iterencode([1, {"k": [2]}])))
class H(html.parser.HTMLParser):
    def handle_starttag(self, tag, attrs): print("start", tag, attrs)
    def handle_endtag(self, tag): print("end", tag)
    def handle_data(self, data): print("data", data)
H().feed("<p class='x'>a &amp; b<!-- c --><br/></p><script>x<y</script>")
print(html.escape("<&>"), html.unescape("&lt;&eacute;&#33;"))
c = configparser.ConfigParser()
c.read_string("[a]\nx = 1\ny = %(x)s2\n[b]\nz: t\n")
print(c.sections(), c["a"]["y"], c.getint("a", "x"), c.has_option("b", "z"), dict(c["b"]))
print(shlex.split("a 'b c' d\"e\""), shlex.quote("a b"), shlex.join(["a", "b c"]))
print(fractions.Fraction(3, 6) + 1, fractions.Fraction("0.25") * 2, fractions.Fraction.from_float(.5))
print(statistics.mean([1, 2, 3]), statistics.stdev([1, 2, 4]), statistics.median([3, 1, 2]), statistics.quantiles([1, 2, 3, 4]), statistics.NormalDist(1, 2).cdf(1))
print("\n".join(difflib.unified_diff(["a", "b"], ["a", "c"], lineterm="")), difflib.get_close_matches("appel", ["ape", "apple"]), list(difflib.ndiff(["a"], ["b"])))
print(string.Template("$a b ${c}").substitute(a=1, c=2), string.Formatter().format("{0} {x!r:>4}", 1, x=2), string.capwords("a b"))
pprint.pprint({"a" * 30: ["b" * 30, {"c": ("d" * 30,)}], "z": {1, 2}})
ts = graphlib.TopologicalSorter({"d": {"b", "c"}, "b": {"a"}, "c": {"a"}})
print(sorted(ts.static_order()))
class C(cmd.Cmd):
    def do_hi(self, a):
        "say hi"
        print("hi", a)
C().onecmd("hi there"); C().onecmd("help hi"); print(C().completenames("h"))
o = optparse.OptionParser(usage="u"); o.add_option("-f", "--file", help="file", metavar="F"); print(o.format_help(), vars(o.parse_args(["-f", "x", "y"])[0]))
print("end of the exercise")
