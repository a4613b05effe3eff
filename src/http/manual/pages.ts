import { renderManual } from "./render.ts" with { type: "macro" };

/** The manual, as `/manual` answers it. It is put in when this module is compiled. */
export const MANUAL = renderManual();
