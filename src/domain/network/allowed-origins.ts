/** The origins whose pages may call the API with a key: all, or exactly these; none if the list is empty. */
export type AllowedOrigins = "*" | readonly string[];
