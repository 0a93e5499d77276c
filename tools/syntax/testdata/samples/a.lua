local M = {}
-- Adds.
function M.add(a, b) return a + b end
function M:method(x) end
local function helper() end
function global() end
M.other = function(x) return x end
local cb = function() end
return M
