/** The default export of an import `with { type: "file" }` is the file's path, even inside the executable. */
declare module "swagger-ui-dist/*" {
  const path: string;
  export default path;
}
declare module "*.md" {
  const text: string;
  export default text;
}

declare module "*.sh" {
  const text: string;
  export default text;
}
