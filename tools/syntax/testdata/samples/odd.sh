#!/bin/sh
one() {
  if [ "$a" "$b" ]; then echo "} $(echo ")") ${x:-"}"}"; fi
  cat <<-'END' | sed 's/}//'
	not() { a function
	END
}

# Second.
two ()
{
  case $1 in
    a|b) echo };;
    (c) inner() { :; } ;&
    *) array=(1 "2" '}' # )
    3) ;;
  esac
  for i do echo $((1 << 2)) $i; done
  [[ $x =~ ^(a|b)}$ ]] && { echo; }
  x=`echo '}'`
}
function three { (cd / && ls) } > /dev/null
function four() ( while read -r l; do echo "$l"; done < <(cat <<< '}') )
@test "five: works" { run five; }
six() { if true; then echo; done; }
seven() { :; }
