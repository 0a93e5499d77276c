module Main exposing (..)

import Html exposing (text)

{-| A user. -}
type alias User = { name : String }

type Msg = Inc | Dec

port send : String -> Cmd msg

-- Adds.
add : Int -> Int -> Int
add a b = a + b

main = text "hi"
