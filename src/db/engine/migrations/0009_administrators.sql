-- Who looks after the others, which so far whoever had the first account did. `setup`: made with the setup
-- link or from the shell. `listed`: named by the configuration, for as long as they are. Null: an
-- ordinary account.
ALTER TABLE user ADD COLUMN admin TEXT CHECK (admin IN ('setup', 'listed'));

UPDATE user SET admin = 'setup' WHERE pk = (SELECT min(pk) FROM user);

CREATE INDEX user_admin ON user (admin) WHERE admin IS NOT NULL;
