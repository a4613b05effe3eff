-- A claim token is kept for a while after its end, which is its use or else its expiry.
CREATE INDEX claim_token_end ON claim_token (ifnull(used_at, expires_at));
