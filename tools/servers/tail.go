package servers

// tail keeps the last limit bytes that it was given.
type tail struct {
	limit int
	bytes []byte
}

func (t *tail) add(p []byte) {
	t.bytes = append(t.bytes, p...)
	if extra := len(t.bytes) - t.limit; extra > 0 {
		t.bytes = append(t.bytes[:0], t.bytes[extra:]...)
	}
}

func (t *tail) String() string { return string(t.bytes) }
