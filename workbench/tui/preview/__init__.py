"""The preview of a reply: envelope, stream, proof and verification."""
