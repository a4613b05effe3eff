COFFER='{{base}}'

{{if provisioning}}
# 1. Make a drive. This needs no account. Keep the key and the claim link: they are shown only now.
MADE=$(curl -sS "$COFFER/v0/drives/provision" -d '{"name": "My drive"}')
KEY=$(printf '%s' "$MADE" | sed 's/.*"api_key":"\([^"]*\)".*/\1/')
DRIVE=$(printf '%s' "$MADE" | sed 's/.*"drive_id":"\([^"]*\)".*/\1/')
CLAIM=$(printf '%s' "$MADE" | sed 's/.*"claim_url":"\([^"]*\)".*/\1/')
{{else}}
# 1. Put in the key that you were given, and take the first of its drives. If it may write none, make one.
KEY='your key'
DRIVES=$(curl -sS "$COFFER/v0/drives" -H "Authorization: Bearer $KEY")
DRIVE=$(printf '%s' "$DRIVES" | sed -n 's/{"data":\[{"id":"\([^"]*\)"[^{}]*"role":"[eo].*/\1/p')
if [ -z "$DRIVE" ]; then
  MADE=$(curl -sS "$COFFER/v0/drives" -H "Authorization: Bearer $KEY" -d '{"name": "My drive"}')
  DRIVE=$(printf '%s' "$MADE" | sed 's/{"data":{"id":"\([^"]*\)".*/\1/')
fi
{{end}}

# 2. Upload a file as it is. Folders that are missing are made.
printf 'Hello World!\n' | curl -sS -T - "$COFFER/v0/files?drive_id=$DRIVE&path=notes/hello.txt" -H "Authorization: Bearer $KEY"; echo

# 3. List a folder.
curl -sS "$COFFER/v0/files?drive_id=$DRIVE&prefix=notes/&delimiter=/" -H "Authorization: Bearer $KEY"; echo

# 4. Search in names, tags and text.
curl -sS "$COFFER/v0/search?drive_id=$DRIVE&q=hello" -H "Authorization: Bearer $KEY"; echo

# 5. Edit it in place. To add at its end: {"op": "append", "text": "..."}.
curl -sS "$COFFER/v0/files/by-path/edit?drive_id=$DRIVE&path=notes/hello.txt" -H "Authorization: Bearer $KEY" -d '{
  "op": "str_replace", "old_string": "World", "new_string": "again"
}'; echo

# 6. Download it.
curl -sS "$COFFER/v0/files/by-path/download?drive_id=$DRIVE&path=notes/hello.txt" -H "Authorization: Bearer $KEY"
{{if provisioning}}

# 7. Give the claim link to your human, who keeps the drive with it.
echo "Open this link to keep the drive: $CLAIM"
{{end}}
