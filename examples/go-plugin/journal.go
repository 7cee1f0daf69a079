package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"sync"
)

// A Journal is a file with one JSON value per line.
type Journal struct {
	mutex sync.Mutex
	file  *os.File
}

// OpenJournal opens a file, creates it if it is missing, and passes each line to read. A last line
// without a line feed was being written when the process stopped. It is removed: no response depended on it.
func OpenJournal(name string, read func(line []byte) error) (*Journal, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	length := int64(0)
	for lines := bufio.NewReader(file); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := read(bytes.TrimSpace(line)); err != nil {
			return nil, err
		}
		length += int64(len(line))
	}
	if err := file.Truncate(length); err != nil {
		return nil, err
	}
	_, err = file.Seek(length, io.SeekStart)
	return &Journal{file: file}, err
}

// Append writes a value and waits until it is on the disk.
func (j *Journal) Append(value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return err
	}
	return j.file.Sync()
}
