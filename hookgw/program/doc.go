// Package program answers requests about the running program itself: its figures, its start and end, and the cost of
// models. The program around the gateway is a [Host]; the routes are [Handlers.Routes] and [MoneyRoutes].
package program
