-- Run by editors.test.mjs in a headless Neovim that has the set-up of docs/editors.md and a wrong program open. Writes what
-- is shown, before and after the program is repaired, to $RESULT.
local result = { version = tostring(vim.version().major) .. "." .. tostring(vim.version().minor) }

local function diagnostics()
  local found = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(0)) do
    local lsp = (diagnostic.user_data or {}).lsp or {}
    table.insert(found, {
      line = diagnostic.lnum, character = diagnostic.col, severity = diagnostic.severity,
      message = diagnostic.message, source = diagnostic.source, steps = #(lsp.relatedInformation or {}),
    })
  end
  return found
end

local function leave()
  local file = assert(io.open(os.getenv("RESULT"), "w"))
  file:write(vim.json.encode(result))
  file:close()
  vim.cmd("qall!")
end

local worked, problem = pcall(function()
  -- What one model finds may be shown before the others are done: $WANTED is what is said in the end.
  local function complete()
    return vim.tbl_contains(vim.tbl_map(function(shown) return shown.message end, vim.diagnostic.get(0)), os.getenv("WANTED"))
  end
  local arrived = vim.wait(600000, complete, 20)
  result.shown = diagnostics()
  assert(arrived, "no diagnostic, or another: " .. vim.json.encode(result.shown))

  for _, shown in ipairs(result.shown) do
    if shown.message == os.getenv("WANTED") then vim.fn.cursor(shown.line + 1, 1) end
  end
  vim.cmd("PicketSteps")
  result.steps = #vim.fn.getloclist(0)
  vim.cmd("lclose")

  -- Over the store to flag1 in the thread 'right'.
  vim.fn.cursor(1, 1)
  vim.fn.search("&flag1, 1,")
  local answers = vim.lsp.buf_request_sync(0, "textDocument/hover", vim.lsp.util.make_position_params(0, "utf-16"), 600000)
  for _, answer in pairs(answers or {}) do
    if answer.result then result.hover = answer.result.contents.value end
  end

  local lenses = vim.lsp.buf_request_sync(0, "textDocument/codeLens", { textDocument = vim.lsp.util.make_text_document_params() }, 600000)
  for _, answer in pairs(lenses or {}) do
    if answer.result and answer.result[1] then result.lens = answer.result[1].command.title end
  end

  vim.cmd([[silent %s/memory_order_relaxed/memory_order_seq_cst/g]])
  vim.cmd("silent write")
  local function errors() return vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR }) end
  assert(vim.wait(600000, function() return #errors() == 0 end, 20), "the diagnostic stays")
  result.repaired = true
end)
if not worked then result.problem = tostring(problem) end
leave()
