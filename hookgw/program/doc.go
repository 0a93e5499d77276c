// Package program answers what is asked of the running program itself: its figures,
// its start and its end, and what models cost. The program around the gateway is a
// [Host]; the rows of the table are [Handlers.Routes] and [MoneyRoutes].
package program
