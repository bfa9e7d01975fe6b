export function ChainNewPage() {
  return null;
}
