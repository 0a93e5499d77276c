package sessionlog

// Bounds of [Writer], for tests.
const (
	MaxOpen      = maxOpen
	MaxHeld      = maxHeld
	ActiveEvents = activeEvents
)

// Opened counts the files and folders that a writer has opened.
func (w *Writer) Opened() int { return int(w.root.opened.Load()) }

// Kept counts the sessions that a writer keeps rendered, and those whose files
// it holds open.
func (w *Writer) Kept() (rendered, held int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, d := range w.folders {
		if d.held != nil {
			held++
		}
	}
	return len(w.folders), held
}
