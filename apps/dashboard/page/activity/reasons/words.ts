/** What an owner reads about a refusal: why, and what changes it where something does. */
export type Words = { readonly why: string; readonly advice?: string };
