import type { McpOptions } from "../options.ts";
import type { Tool } from "../tool.ts";
import { driveTools } from "./drives.ts";
import { editingTools } from "./editing.ts";
import { findingTools } from "./finding.ts";
import { folderTools } from "./folders.ts";
import { historyTools } from "./history.ts";
import { linkTools } from "./links.ts";
import { readingTools } from "./reading.ts";
import { transferTools } from "./transfers.ts";
import { snapshotTools } from "./snapshots.ts";
import { writingTools } from "./writing.ts";

/** Every tool, in the order in which a model reads them. */
export function allTools(options: McpOptions): Tool[] {
  return [
    ...driveTools(options),
    ...folderTools(options),
    ...readingTools(options),
    ...writingTools(options),
    ...editingTools(options),
    ...transferTools(options),
    ...historyTools(options),
    ...snapshotTools(options),
    ...findingTools(options),
    ...linkTools(options),
  ];
}
