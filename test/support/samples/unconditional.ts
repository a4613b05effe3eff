export { UNCONDITIONAL } from "../../../src/domain/files/precondition.ts";
