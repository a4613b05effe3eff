-- The setup link works until the server stops, so its token is only in memory.
DROP TABLE setup_token;
