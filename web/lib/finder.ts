/** Whether what a person types to find something in a list stands in one of its texts, however it is cased. */
export function isWanted(typed: string, texts: readonly (string | null)[]): boolean {
  const wanted = typed.trim().toLocaleLowerCase();
  return texts.some((text) => text?.toLocaleLowerCase().includes(wanted) === true);
}
