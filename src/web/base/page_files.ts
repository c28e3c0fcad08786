// Files that come with the page. If the page is one file, they are elements of it: JSON as it is, or anything gzipped and
// in base64. Otherwise they lie beside it.
import { unpackBytes } from "./packed_bytes";

/// The id of an element that lists those files beside the page that are not always there: a JSON array of names. (To ask
/// a server for a file that it does not have is an error on the console.)
const LIST = "files";

function listed(): string[] {
  const element = document.getElementById(LIST);
  return element ? (JSON.parse(element.textContent ?? "") as string[]) : [];
}

/// Whether a file came with the page that need not have come.
export const hasPageFile = (name: string): boolean => document.getElementById(name) !== null || listed().includes(name);

export async function readPageFile(name: string): Promise<ArrayBuffer> {
  const element = document.getElementById(name) as HTMLScriptElement | null;
  if (element?.type === "application/json")
    return new TextEncoder().encode(element.textContent ?? "").buffer as ArrayBuffer;
  if (element) return unpackBytes(element.textContent ?? "");
  const response = await fetch(name);
  if (!response.ok) throw new Error(`${name}: expected this file beside the page, found status ${response.status}`);
  return response.arrayBuffer();
}

export const readPageJson = async (name: string): Promise<unknown> =>
  JSON.parse(new TextDecoder().decode(await readPageFile(name)));
