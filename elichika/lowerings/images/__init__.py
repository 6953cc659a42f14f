"""Images resized as OpenCV and Pillow do, with sizes of the run."""
