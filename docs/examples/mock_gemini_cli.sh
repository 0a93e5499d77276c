#!/bin/sh
# mock_gemini_cli.sh stands in for the gemini command line in tests and demos:
# it reads a prompt from its standard input and writes one JSON object a line,
# as `gemini --output-format stream-json` does. It calls no model.
#
# What it says depends on the prompt: tracks for tier 1, a ticket for tier 2,
# DONE: for everybody else and whenever a tool's result is in the prompt.
#
# MOCK_MODE: success (default); malformed_json: a line that is no JSON and no
# result; error_result: a result of the status error; timeout: silence for two
# minutes.
#
# It knows no MCP servers, so it needs tools = "text":
#
#   slop run --config config.toml "a goal"      with [providers.gemini_cli] command = "/…/mock_gemini_cli.sh"
#                                                                           tools = "text"
#   client.set_value("gcli_path", "/…/mock_gemini_cli.sh")

case " $* " in
*" --output-format stream-json "*) ;;
*)
	echo "mock_gemini_cli: only --output-format stream-json is spoken here" >&2
	exit 42
	;;
esac

prompt=$(cat)
if [ -z "$prompt" ]; then
	echo "mock_gemini_cli: no prompt on the standard input" >&2
	exit 42
fi

say() { # say TEXT, which is the inside of a JSON string
	printf '{"type":"message","role":"assistant","content":"%s","delta":true}\n' "$1"
}

printf '{"type":"init","session_id":"mock-%s","model":"mock"}\n' "$$"

case "${MOCK_MODE:-success}" in
malformed_json)
	printf '{"type":"message","role":"assistant","content":"cut off\n'
	exit 0
	;;
error_result)
	printf '{"type":"result","status":"error","error":{"type":"MockError","message":"Mock simulated error"}}\n'
	exit 1
	;;
timeout)
	sleep 120
	exit 0
	;;
esac

printf '{"type":"message","role":"user","content":"(the prompt)"}\n'

case $prompt in
*"# Result of the tool"* | *"# Error of the tool"*)
	say "DONE: the tool answered."
	;;
*"tier 1 of four"*)
	say '[{\"title\":\"Mock track\",\"description\":\"What the goal asks for, by the mock.\",'
	say '\"modules\":[],\"severity\":\"low\",\"acceptance\":[\"it is said to be done\"]}]'
	;;
*"tier 2 of four"*)
	say '[{\"id\":\"MOCK-'"$$"'\",\"description\":\"Say that it is done.\",\"target_file\":\"\",'
	say '\"context_requirements\":[],\"depends_on\":[],\"priority\":\"medium\"}]'
	;;
*)
	say "DONE: says the mock."
	;;
esac

printf '{"type":"result","status":"success","stats":{"total_tokens":100,"input_tokens":80,"output_tokens":20}}\n'
