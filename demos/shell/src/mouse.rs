//! The mouse between two frames.

use std::collections::VecDeque;

use crate::Input;

/// Collects what the mouse does until a frame sees it. A frame sees one press or one release, at its
/// place, and the next frame the next one, so that no click is lost between two frames.
#[derive(Debug)]
pub(crate) struct Mouse {
    /// Presses and releases that no frame has seen yet.
    changes: VecDeque<(bool, [f32; 2])>,
    /// True if the button was down in the last frame.
    pressed: bool,
    pointer: [f32; 2],
    scroll: f32,
}

impl Mouse {
    pub(crate) fn new() -> Self {
        let Input { pointer, .. } = Input::default();
        Self { changes: VecDeque::new(), pressed: false, pointer, scroll: 0.0 }
    }

    pub(crate) fn moved(&mut self, pointer: [f32; 2]) {
        self.pointer = pointer;
    }

    pub(crate) fn button(&mut self, pressed: bool) {
        if self.changes.back().map_or(self.pressed, |&(last, _)| last) != pressed {
            self.changes.push_back((pressed, self.pointer));
        }
    }

    pub(crate) fn scrolled(&mut self, lines: f32) {
        self.scroll += lines;
    }

    /// Returns what the next frame sees.
    pub(crate) fn input(&self, frame: u32) -> Input {
        let (pressed, pointer) =
            self.changes.front().copied().unwrap_or((self.pressed, self.pointer));
        Input { frame, pointer, pressed, scroll: self.scroll, ..Input::default() }
    }

    /// Notes that a frame has seen it.
    pub(crate) fn seen(&mut self) {
        if let Some((pressed, _)) = self.changes.pop_front() {
            self.pressed = pressed;
        }
        self.scroll = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns, frame by frame, whether the button is down and where.
    fn frames(mouse: &mut Mouse, count: u32) -> Vec<(bool, f32)> {
        let frame = |number| {
            let input = mouse.input(number);
            mouse.seen();
            (input.pressed, input.pointer[0])
        };
        (0..count).map(frame).collect()
    }

    #[test]
    fn clicks_within_a_frame_are_seen() {
        let mut mouse = Mouse::new();
        for place in [1.0, 2.0] {
            mouse.moved([place, 0.0]);
            mouse.button(true);
            mouse.button(false);
        }
        mouse.moved([3.0, 0.0]);
        let two = [(true, 1.0), (false, 1.0), (true, 2.0), (false, 2.0), (false, 3.0)];
        assert_eq!(frames(&mut mouse, 5), two);
        mouse.button(true);
        assert_eq!(frames(&mut mouse, 2), [(true, 3.0); 2]);
        // Let go and pressed again within a frame, elsewhere.
        mouse.button(false);
        mouse.moved([4.0, 0.0]);
        mouse.button(true);
        assert_eq!(frames(&mut mouse, 3), [(false, 3.0), (true, 4.0), (true, 4.0)]);
        // An event reported twice is one change.
        mouse.button(true);
        mouse.button(false);
        mouse.button(false);
        assert_eq!(frames(&mut mouse, 2), [(false, 4.0); 2]);
    }

    #[test]
    fn a_frame_that_is_not_drawn_loses_nothing() {
        let mut mouse = Mouse::new();
        mouse.scrolled(1.0);
        assert_eq!(mouse.input(0).scroll, 1.0);
        mouse.scrolled(0.5);
        assert_eq!(mouse.input(0).scroll, 1.5);
        mouse.seen();
        assert_eq!(mouse.input(1).scroll, 0.0);
    }
}
