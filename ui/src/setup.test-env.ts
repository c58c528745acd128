import "@testing-library/jest-dom/vitest";

/** jsdom lays nothing out, so nothing is ever resized. */
class NothingResized implements ResizeObserver {
  observe(): void {
    return;
  }
  unobserve(): void {
    return;
  }
  disconnect(): void {
    return;
  }
}

globalThis.ResizeObserver ??= NothingResized;
