#!/bin/bash
# Greets.
greet() {
  echo "hi $1"
}
function leave { echo bye; }
if true; then
  late() { :; }
fi
