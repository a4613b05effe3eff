export const examplePassword = "a password of your own";

export const exampleDrive = {
  id: "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f",
  user_id: "01976f5e-0a11-7000-8000-9f2e4d6c8b0a",
  name: "Research Notes",
  slug: "ada/research-notes",
  description: "",
  role: "owner",
  file_count: 2,
  total_size: 4096,
  expires_at: null,
  created_at: "2030-01-31T12:00:00.000Z",
  updated_at: "2030-01-31T12:00:00.000Z",
};

export const exampleFile = {
  id: "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f",
  drive_id: "01976f5e-0a11-7000-8000-9f2e4d6c8b0a",
  path: "notes/hello.txt",
  filename: "hello.txt",
  mime_type: "text/plain",
  size: 12,
  content_hash: "sha256:7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677284addd200126d9069",
  content_preview: "Hello World!",
  tags: ["greeting"],
  metadata: { source: "example" },
  expires_at: null,
  created_at: "2030-01-31T12:00:00.000Z",
  updated_at: "2030-01-31T12:00:00.000Z",
};

export const exampleTrashId = "01976f5e-6b1c-7000-8000-2a4c6e8f0b1d";

export const exampleFolder = {
  drive_id: "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f",
  path: "notes/2030/",
  file_count: 12,
  total_size: 49152,
  has_folders: true,
  created_at: "2030-01-31T12:00:00.000Z",
};

export const exampleVersion = {
  version: 1,
  content_hash: "sha256:b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
  size: 11,
  mime_type: "text/plain",
  replaced_at: "2030-01-31T12:00:00.000Z",
  replaced_by: { type: "key", id: "01976f5e-6e8c-7000-8000-1b2c3d4e5f60", name: "night shift" },
};

export const exampleSnapshot = {
  id: "01976f5e-7c9b-7000-8000-5d3e1f2a4b6c",
  drive_id: exampleDrive.id,
  name: "Before the clean-up",
  file_count: 2,
  total_size: 4096,
  automatic: false,
  created_at: "2030-01-31T12:00:00.000Z",
  created_by: { type: "key", id: "01976f5e-6e8c-7000-8000-1b2c3d4e5f60", name: "night shift" },
};

export const exampleWork = {
  id: "01976f5e-7d3a-7000-8000-6e4f2a3b5c7d",
  kind: "copy",
  state: "running",
  drive_id: exampleDrive.id,
  path: "notes/2030/",
  destination_drive_id: exampleDrive.id,
  destination_path: "archive/2030/",
  step: 3,
  steps: 3,
  files_done: 1200,
  files_total: 5000,
  if_cancelled: "undone",
  created_at: "2030-01-31T12:00:00.000Z",
  created_by: exampleSnapshot.created_by,
};

export const exampleTrashEntry = {
  id: exampleTrashId,
  kind: "file",
  drive_id: exampleFile.drive_id,
  path: exampleFile.path,
  size: exampleFile.size,
  file_count: 1,
  deleted_at: "2030-01-31T12:00:00.000Z",
  deleted_by: { type: "key", id: "01976f5e-7c2d-7000-8000-4b5d6e7f8a9c", name: "My agent" },
  expires_at: "2030-03-02T12:00:00.000Z",
};

export const exampleLink = {
  id: "01976f5e-5d7a-7000-8000-4d6e2b3c5f70",
  kind: "folder" as const,
  drive_id: exampleFolder.drive_id,
  path: exampleFolder.path,
  has_password: true,
  one_time: false,
  used_at: null,
  uses: 3,
  last_used_at: "2030-02-01T08:00:00.000Z",
  expires_at: "2030-02-07T12:00:00.000Z",
  created_at: "2030-01-31T12:00:00.000Z",
  created_by: { type: "user" as const, id: exampleDrive.user_id, name: "ada" },
};

export const exampleWebhook = {
  id: "01976f5e-5d7a-7000-8000-6f8a4d5e7b92",
  url: "https://agent.example/hook",
  events: ["file.*", "folder.deleted"],
  drive_id: exampleDrive.id,
  created_at: "2030-01-31T12:00:00.000Z",
  made_by: null,
  disabled_at: null,
  disabled_reason: null,
};

export const exampleDelivery = {
  id: "01976f5e-5d7a-7000-8000-7a9b5e6f8ca3",
  type: "file.created",
  state: "delivered" as const,
  attempts: 1,
  status: 204,
  error: null,
  next_at: null,
  created_at: "2030-02-01T08:00:00.000Z",
};

export const exampleChange = {
  id: "NDIKMTg5NTkxMTIwMDAwMA",
  type: "file.created",
  drive_id: exampleFile.drive_id,
  path: exampleFile.path,
  previous_path: null,
  file_id: exampleFile.id,
  before: null,
  after: { content_hash: exampleFile.content_hash, size: exampleFile.size },
  file_count: null,
  version: 1,
  ref: null,
  by: { type: "key", id: "01976f5e-4b21-7000-8000-5d7c9e1f3a2b", name: "Agent" },
  at: exampleFile.created_at,
};

/** A file of a comparison in examples. */
export const exampleCompared = {
  file_id: exampleFile.id,
  path: exampleFile.path,
  size: exampleFile.size,
  content_hash: exampleFile.content_hash,
  updated_at: exampleFile.updated_at,
};
