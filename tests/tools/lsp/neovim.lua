-- Drives Neovim as somebody at the keyboard would: opens a module, completes, applies a quick fix, renames, saves.
-- What the editor came to know is written as JSON to $FOUND. Works with Neovim 0.7 and newer.

local found = {}
local waiting = 60000 -- milliseconds; a loaded machine needs some

local function wait(what, there)
  assert(vim.wait(waiting, there, 50), "nothing came: " .. what)
end

local function messages()
  return vim.tbl_map(function(one) return one.message end, vim.diagnostic.get(0))
end

local function go_to(part)
  vim.fn.cursor(1, 1)
  assert(vim.fn.search(part, "ceW") > 0, part)
end

local function play()
  vim.o.hidden = true
  vim.cmd("edit " .. os.getenv("MODULE"))
  local client = vim.lsp.start_client({ name = "edict", cmd = vim.json.decode(os.getenv("SERVER")), root_dir = os.getenv("ROOT") })
  vim.lsp.buf_attach_client(0, client)
  wait("the server", function() return vim.lsp.buf_get_clients(0)[client] ~= nil end)

  wait("the mistake", function() return #messages() == 1 end)
  found.mistake = messages()[1]
  go_to("clot$")
  vim.ui.select = function(items, _, chosen) chosen(items[1]) end
  vim.lsp.buf.code_action()
  wait("the fix", function() return vim.fn.search("gain 1 cloth$", "cnw") > 0 end)
  wait("the end of the mistake", function() return #messages() == 0 end)

  vim.fn.append(vim.fn.line("$"), "adjust ")
  vim.fn.cursor(vim.fn.line("$"), 8)
  local asked = vim.lsp.util.make_position_params(0, "utf-16")
  asked.position.character = 7
  local answers = vim.lsp.buf_request_sync(0, "textDocument/completion", asked, waiting)
  local items = vim.lsp.util.extract_completion_items(answers[client].result)
  found.completion = vim.tbl_map(function(one) return one.label end, items)
  vim.fn.deletebufline("%", vim.fn.line("$"))

  go_to("stall = bakery")
  vim.lsp.buf.rename("baker")
  wait("the rename", function() return vim.fn.search("stall = baker$", "cnw") > 0 end)
  vim.cmd("wall")
  found.done = true
end

local ok, mistake = pcall(play)
found.error = not ok and tostring(mistake) or nil
local file = assert(io.open(os.getenv("FOUND"), "w"))
file:write(vim.json.encode(found))
file:close()
vim.cmd("qall!")
