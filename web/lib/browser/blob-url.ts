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
