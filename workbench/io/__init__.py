"""Files, folders, logs and processes: everything that touches the machine."""
