// Links to the address where the page already is.

/// Follows a link to the address where the page already is: a browser reports no change then.
export function followSameAddress(follow: (address: string) => void): void {
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null; // also one of an SVG
    const address = link?.getAttribute("href");
    if (address?.startsWith("#") && address === location.hash) follow(address);
  });
}
