"""Re-keying: fixtures move to the requests that replaced their own."""
