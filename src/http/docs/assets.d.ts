/** The default export of an import `with { type: "file" }` is the file's path, even inside the executable. */
declare module "swagger-ui-dist/*" {
  const path: string;
  export default path;
}
