/** Imported `with { type: "file" }`, a file's default export is its path, inside the executable too. */
declare module "swagger-ui-dist/*" {
  const path: string;
  export default path;
}
