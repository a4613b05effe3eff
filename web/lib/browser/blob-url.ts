import { useEffect, useState } from "preact/hooks";

/** A `blob:` address for a content while it is shown; null at first. */
export function useBlobUrl(content: Blob): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(content);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [content]);
  return url;
}

/** A function that has the browser save a content as a file. */
export function useSavedBlob(filename: string): (content: Blob) => void {
  const [content, setContent] = useState<Blob | null>(null);
  useEffect(() => {
    if (content === null) return;
    const url = URL.createObjectURL(content);
    const link = document.createElement("a");
    link.href = url;
    link.download = filename;
    link.click();
    return () => URL.revokeObjectURL(url);
  }, [content]);
  return setContent;
}
